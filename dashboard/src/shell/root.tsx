import { Outlet } from "@tanstack/react-router";
import { Suspense } from "react";
import { Toasts } from "../components/toast.tsx";
import { SignInAgainDialog } from "../forms/sign-in-again-dialog.tsx";
import { StepUpDialog } from "../forms/step-up-dialog.tsx";
import { PendingPage } from "./pending-page.tsx";

/** The elements of every page. */
export function Root() {
  return (
    <>
      <Suspense fallback={<PendingPage />}>
        <Outlet />
      </Suspense>
      <StepUpDialog />
      <SignInAgainDialog />
      <Toasts />
    </>
  );
}

import { Outlet } from "@tanstack/react-router";
import { Suspense } from "react";
import { Toasts } from "../components/toast.tsx";
import { PendingPage } from "./pending-page.tsx";
import { SignInAgainDialog } from "./sign-in-again-dialog.tsx";
import { StepUpDialog } from "./step-up-dialog.tsx";

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

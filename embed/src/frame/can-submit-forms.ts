/**
 * Returns false if the sandbox of the shop's page lacks `allow-forms`. The sandbox also applies to the documents inside
 * this one, so the issuer's page of a challenge would stay empty. No property reports the flags of a sandbox. Chromium
 * and Firefox fire no submit event in such a sandbox. WebKit fires it and blocks the request later, so this function
 * returns true there.
 */
export function canSubmitForms(): boolean {
  let submitted = false;
  const form = document.createElement("form");
  form.hidden = true;
  form.onsubmit = () => {
    submitted = true;
    return false;
  };
  document.body.append(form);
  form.requestSubmit();
  form.remove();
  return submitted;
}

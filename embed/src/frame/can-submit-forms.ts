/**
 * Returns whether forms in this document can be submitted. A sandbox of the shop's page without `allow-forms` prevents
 * it, also for the documents inside this one, so that the issuer's page of a challenge would stay empty. No property
 * reports the flags of a sandbox, but the browser fires no submit event.
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

/** Applies the theme that the reader has chosen here or in the dashboard, before the page is shown. */
const chosen = localStorage.getItem("florin-theme");
if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;

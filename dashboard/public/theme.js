const chosen = localStorage.getItem("florin-theme");
if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;

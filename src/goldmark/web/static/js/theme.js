// A classic script in the head, so that the remembered theme is in place before anything is painted.
(() => {
  const KEY = "goldmark:theme";
  const NEXT = { auto: "light", light: "dark", dark: "auto" };

  function remembered() {
    try {
      const found = localStorage.getItem(KEY);
      return found in NEXT ? found : "auto";
    } catch {
      return "auto"; // storage is forbidden in some frames; the system's choice then stands
    }
  }

  function apply(theme) {
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    for (const button of document.querySelectorAll("[data-theme-toggle]")) {
      button.title = button.dataset[theme]; // the page's own words
      button.setAttribute("aria-label", button.title);
    }
  }

  let theme = remembered();
  apply(theme);
  document.addEventListener("DOMContentLoaded", () => apply(theme));
  document.addEventListener("click", (event) => {
    if (!(event.target instanceof Element) || !event.target.closest("[data-theme-toggle]")) return;
    theme = NEXT[theme];
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // forgotten at the next page, but it still works on this one
    }
    apply(theme);
  });
})();

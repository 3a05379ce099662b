// The description of the API, drawn by Swagger UI from /api/v1/openapi.json. Nothing is asked of another host.
const { csrf } = JSON.parse(document.getElementById("config").textContent);
const dark = matchMedia("(prefers-color-scheme: dark)");

function follow() {
  const chosen = document.documentElement.dataset.theme;
  document.documentElement.classList.toggle("dark-mode", chosen ? chosen === "dark" : dark.matches);
}

follow();
dark.addEventListener("change", follow);
new MutationObserver(follow).observe(document.documentElement, { attributeFilter: ["data-theme"] });

// What Swagger UI draws is a part of our page: the page has its own `main` and first heading, and what scrolls must be
// within reach of a keyboard.
const INSTEAD = { main: "div", h1: "h2" };

function asPartOfAPage({ React }) {
  const make = React.createElement;
  React.createElement = (type, given, ...inside) => {
    const scrolls = type === "pre" && given?.className?.includes("microlight");
    return make(INSTEAD[type] ?? type, scrolls ? { ...given, tabIndex: 0 } : given, ...inside);
  };
  return {};
}

window.SwaggerUIBundle({
  url: "/api/v1/openapi.json",
  dom_id: "#api",
  plugins: [asPartOfAPage],
  validatorUrl: null,
  docExpansion: "none",
  defaultModelsExpandDepth: 0,
  // Who is signed in calls as themselves; the server asks that changes carry the token of our own pages.
  requestInterceptor: (request) => {
    if (csrf) request.headers["X-CSRF-Token"] = csrf;
    return request;
  },
});

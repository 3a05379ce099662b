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

window.SwaggerUIBundle({
  url: "/api/v1/openapi.json",
  dom_id: "#api",
  validatorUrl: null,
  docExpansion: "none",
  defaultModelsExpandDepth: 0,
  // Who is signed in calls as themselves; the server asks that changes carry the token of our own pages.
  requestInterceptor: (request) => {
    if (csrf) request.headers["X-CSRF-Token"] = csrf;
    return request;
  },
});

// The groups of operations are closed at first: all operations at once are a long list.
window.addEventListener("load", () => {
  window.ui = SwaggerUIBundle({
    url: "/openapi.json",
    dom_id: "#swagger-ui",
    deepLinking: true,
    docExpansion: "none",
    defaultModelsExpandDepth: 0,
    layout: "BaseLayout",
    presets: [SwaggerUIBundle.presets.apis],
  });
});

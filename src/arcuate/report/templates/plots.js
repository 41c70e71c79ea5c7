"use strict";
(() => {
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  const theme = () => ({
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
    "font.color": colour("ink"), "xaxis.gridcolor": colour("line"), "yaxis.gridcolor": colour("line"),
    "xaxis.zerolinecolor": colour("soft"), "yaxis.zerolinecolor": colour("soft"),
  });
  const places = [];
  for (const data of document.querySelectorAll("script[data-plot]")) {
    const figure = JSON.parse(data.textContent);
    const place = document.getElementById(data.dataset.plot);
    Plotly.newPlot(place, figure.data, { margin: { t: 24, r: 16, b: 48, l: 60 }, autosize: true, ...figure.layout }, { responsive: true, displaylogo: false })
      .then(() => Plotly.relayout(place, theme()));
    places.push(place);
  }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    for (const place of places) Plotly.relayout(place, theme());
  });
})();

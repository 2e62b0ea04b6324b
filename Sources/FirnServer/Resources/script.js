"use strict";
(() => {
  const base = document.body.dataset.base;
  const status = document.getElementById("status");

  // The timeline is live: the change feed says that there is more, the server renders it.
  const list = document.querySelector("#records[data-live]");
  if (list) {
    let last = Number(document.body.dataset.head);
    let timer = null;
    const load = async () => {
      timer = null;
      const response = await fetch(`${base}/records?after=${last}&${list.dataset.live}`);
      if (!response.ok) return;
      const position = Number(response.headers.get("Firn-Position"));
      const holder = document.createElement("template");
      holder.innerHTML = await response.text();
      const count = holder.content.querySelectorAll("li").length;
      for (const item of holder.content.querySelectorAll("li")) item.classList.add("new");
      list.prepend(holder.content);
      last = Math.max(last, position);
      if (count > 0) status.textContent = count === 1 ? "1 new record" : `${count} new records`;
      document.body.dataset.arrived = Number(document.body.dataset.arrived || 0) + count;
    };
    const feed = new EventSource(`${base}/v1/changes?after=${last}`);
    feed.onmessage = () => { timer ??= setTimeout(load, 150); };
    feed.onerror = () => { status.textContent = "The service cannot be reached; trying again."; };
    feed.onopen = () => { status.textContent = "New records appear here as they are saved."; };
  }

  // The slider writes the record's number, and goes there when it is let go.
  for (const slider of document.querySelectorAll("[data-slider]")) {
    const field = document.getElementById(slider.dataset.slider);
    slider.addEventListener("input", () => { field.value = slider.value; });
    slider.addEventListener("change", () => slider.form.submit());
  }

  const move = (step) => {
    const items = [...document.querySelectorAll(".item")];
    if (items.length === 0) return;
    const index = items.indexOf(document.activeElement);
    const next = index < 0 ? (step > 0 ? 0 : items.length - 1) : index + step;
    items[Math.min(Math.max(next, 0), items.length - 1)].focus();
  };
  const views = { t: "/", o: "/objects", c: "/compare", m: "/model" };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    if (event.key === "j") move(1);
    else if (event.key === "k") move(-1);
    else if (event.key === "/" || event.key === "f") {
      document.querySelector(event.key === "/" ? "[data-find]" : "[data-filter]")?.focus();
      event.preventDefault();
    } else if (event.key === "?") document.getElementById("keys").showModal();
    else if (views[event.key]) location.href = base + views[event.key];
  });
})();

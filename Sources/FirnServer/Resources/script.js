"use strict";
(() => {
  const base = document.body.dataset.base;
  const status = document.getElementById("status");

  // Times are shown in the reader's zone; the service's text, in UTC, is what pointing at one shows.
  const day = new Intl.DateTimeFormat(undefined, { dateStyle: "full" });
  const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });
  const full = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
  const localize = (root, format) => {
    for (const time of root.querySelectorAll("time[datetime]:not([title])")) {
      const date = new Date(time.dateTime);
      if (isNaN(date)) continue;
      time.title = `${time.textContent} UTC`;
      time.textContent = format.format(date);
    }
  };

  // Records of a timeline have their day as a heading above them.
  const records = document.getElementById("records");
  const arrange = () => {
    if (!records) return;
    for (const heading of records.querySelectorAll(".day")) heading.remove();
    let last = null;
    for (const item of [...records.children]) {
      const time = item.querySelector("time");
      const name = day.format(new Date(time.dateTime));
      if (name !== last) {
        const heading = document.createElement("li");
        heading.className = "day";
        heading.append(document.createElement("h2"));
        heading.firstChild.textContent = name;
        item.before(heading);
      }
      last = name;
    }
    records.classList.add("dated");
    localize(records, clock);
  };
  arrange();
  localize(document, full);
  for (const zone of document.querySelectorAll("[data-zone]")) {
    zone.textContent = `Dates are in your zone, ${Intl.DateTimeFormat().resolvedOptions().timeZone}; point at one for UTC.`;
  }

  // Older records come when the end of the list is seen.
  let isLoading = false;
  const loadOlder = async () => {
    const more = document.getElementById("more");
    if (!more || isLoading) return;
    isLoading = true;
    try {
      const response = await fetch(more.querySelector("a").href);
      if (!response.ok) return;
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      records.append(...page.querySelectorAll("#records > li"));
      arrange();
      const next = page.getElementById("more");
      if (next) more.replaceWith(next);
      else more.remove();
      if (next) watcher.observe(next);
    } finally { isLoading = false; }
  };
  const watcher = new IntersectionObserver((seen) => { if (seen.some((one) => one.isIntersecting)) loadOlder(); },
    { rootMargin: "600px" });
  if (document.getElementById("more")) watcher.observe(document.getElementById("more"));

  // A drag over the strip chooses the time from one bar to another.
  let dragged = null;
  const bar = (event) => event.target.closest?.(".strip a[data-from]");
  document.addEventListener("pointerdown", (event) => {
    dragged = bar(event);
    if (dragged) event.preventDefault();
  });
  document.addEventListener("dragstart", (event) => { if (bar(event)) event.preventDefault(); });
  document.addEventListener("pointerup", (event) => {
    const [start, end] = [dragged, bar(event)];
    dragged = null;
    if (!start || !end || start === end) return;
    const [first, last] = start.dataset.from <= end.dataset.from ? [start, end] : [end, start];
    const query = new URLSearchParams(first.getAttribute("href").split("?")[1]);
    query.set("to", last.dataset.to);
    location.href = `${base}/?${query}`;
  });

  // The timeline is live: the change feed says that there is more, the server renders it.
  const list = document.querySelector("#records[data-live]");
  if (list) {
    let last = Number(document.body.dataset.head);
    let [timer, isNews] = [null, false];
    // One at a time: two would both bring the records after the last one.
    const load = async () => {
      isNews = false;
      try {
        const response = await fetch(`${base}/records?after=${last}&${list.dataset.live}`);
        if (!response.ok) return;
        const position = Number(response.headers.get("Firn-Position"));
        const holder = document.createElement("template");
        holder.innerHTML = await response.text();
        const count = holder.content.querySelectorAll("li").length;
        for (const item of holder.content.querySelectorAll("li")) item.classList.add("new");
        list.prepend(holder.content);
        arrange();
        last = Math.max(last, position);
        if (count > 0) status.textContent = count === 1 ? "1 new record" : `${count} new records`;
        document.body.dataset.arrived = Number(document.body.dataset.arrived || 0) + count;
      } finally { timer = isNews ? setTimeout(load, 150) : null; }
    };
    const feed = new EventSource(`${base}/v1/changes?after=${last}`);
    feed.onmessage = () => {
      isNews = true;
      timer ??= setTimeout(load, 150);
    };
    feed.onerror = () => {
      status.textContent = feed.readyState === EventSource.CLOSED
        ? "The store was replaced: load the page again." : "The service cannot be reached; trying again.";
    };
    feed.onopen = () => { status.textContent = "New records appear here as they are saved."; };
  }

  // Two clicks are one: what was deleted would come back twice.
  for (const form of document.querySelectorAll("form.revert")) {
    form.addEventListener("submit", () => { form.querySelector("button").disabled = true; });
  }

  // The slider writes the record's number, and goes there when it is let go.
  for (const slider of document.querySelectorAll("[data-slider]")) {
    const field = document.getElementById(slider.dataset.slider);
    slider.addEventListener("input", () => { field.value = slider.value; });
    slider.addEventListener("change", () => slider.form.submit());
  }

  // The search box shows what it finds as one types; Enter opens the page of the search.
  const find = document.querySelector("[data-find]");
  const found = document.createElement("ul");
  found.className = "found";
  found.setAttribute("aria-label", "Found");
  find.form.append(found);
  const hide = () => found.replaceChildren();
  let [asked, waiting] = [null, null];
  const look = async () => {
    asked?.abort();
    const text = find.value.trim();
    if (text.length < 2) return hide();
    asked = new AbortController();
    try {
      const response = await fetch(`${base}/search?text=${encodeURIComponent(text)}`, { signal: asked.signal });
      if (!response.ok) return hide();
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      const hits = response.redirected ? [] : [...page.querySelectorAll("main a.item")].slice(0, 8);
      const links = hits.map((hit) => {
        const link = document.createElement("a");
        link.href = hit.getAttribute("href");
        link.textContent = (hit.closest("th") ?? hit).textContent;
        return link;
      });
      if (response.redirected) {
        links.push(document.createElement("a"));
        links[0].href = new URL(response.url).pathname;
        links[0].textContent = page.querySelector("h1").textContent;
      }
      found.replaceChildren(...links.map((link) => {
        const item = document.createElement("li");
        item.append(link);
        return item;
      }));
    } catch (error) { if (error.name !== "AbortError") throw error; }
  };
  find.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(look, 200);
  });
  find.form.addEventListener("focusout", (event) => { if (!find.form.contains(event.relatedTarget)) hide(); });
  find.form.addEventListener("keydown", (event) => {
    const links = [find, ...found.querySelectorAll("a")];
    const index = links.indexOf(document.activeElement);
    if (event.key === "Escape") { hide(); find.focus(); }
    if (event.key === "ArrowDown") links[Math.min(index + 1, links.length - 1)].focus();
    if (event.key === "ArrowUp") links[Math.max(index - 1, 0)].focus();
    if (event.key.startsWith("Arrow") && links.length > 1) event.preventDefault();
  });

  const move = (step) => {
    const items = [...document.querySelectorAll(".item")];
    if (items.length === 0) return;
    const index = items.indexOf(document.activeElement);
    const next = index < 0 ? (step > 0 ? 0 : items.length - 1) : index + step;
    items[Math.min(Math.max(next, 0), items.length - 1)].focus();
  };
  const views = { t: "/", a: "/activity", o: "/objects", c: "/compare", m: "/model" };
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

// Pages work without this script. With it, another question replaces the sections in place, live numbers move, and a page follows the log.
"use strict";
(() => {
  const pause = 10000;
  let turn = 0;
  let source;

  // What can be opened on a page, by its section and its number there.
  const named = () => {
    const counts = {};
    return [...document.querySelectorAll("main details")].map(details => {
      const section = (details.closest("section") || {}).id || "";
      return [section + " " + (counts[section] = (counts[section] || 0) + 1), details];
    });
  };
  const opened = () => new Set(named().filter(([, details]) => details.open).map(([name]) => name));

  // Shows another page of this site in place. What it has above the answer is replaced too, but what a person opened stays open.
  const show = async (address, isKept) => {
    const mine = ++turn;
    document.body.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(address, { headers: { "Accept": "text/html" } });
      const isPage = (answer.headers.get("Content-Type") || "").startsWith("text/html");
      // A page that is there is worth more than a proxy's word that the server is down.
      if (isKept && (!isPage || answer.status >= 500)) return renew();
      if (!isPage) return location.assign(address);
      const next = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (mine !== turn) return;
      const focus = document.activeElement && document.activeElement.id;
      const open = isKept ? opened() : new Set();
      for (const name of isKept ? ["header", "main"] : [".bar", ".asked", "header", "main"]) {
        const [old, other] = [document.querySelector(name), next.querySelector(name)];
        if (old && other && old.outerHTML !== other.outerHTML) old.replaceWith(other);
        else if (old && !other) old.remove();
        else if (!old && other) document.querySelector(name === ".asked" ? ".bar" : "footer").after(other);
      }
      for (const [name, details] of named()) if (open.has(name)) details.open = true;
      document.title = next.title;
      if (focus && document.getElementById(focus)) document.getElementById(focus).focus({ preventScroll: true });
      const [bar, other] = [document.querySelector(".bar"), next.querySelector(".bar")];
      if (bar && other && other.dataset.state === undefined) delete bar.dataset.state;
      else if (bar && other) bar.dataset.state = other.dataset.state;
      // Under load the answer may be of a moment before the newest commit.
      compare();
      if (!isKept) { listen(); if (!location.hash) scrollTo(0, 0); }
    } catch (error) {
      if (mine !== turn) return;
      if (isKept) renew(); else location.assign(address);
    } finally {
      if (mine === turn) document.body.removeAttribute("aria-busy");
    }
  };

  const isPage = link => link.origin === location.origin && !link.hasAttribute("data-plain") && !link.hash && !link.target;

  document.addEventListener("click", event => {
    const link = event.target.closest("a[href]");
    if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    if (!isPage(link)) return;
    event.preventDefault();
    history.pushState({}, "", link.href);
    show(link.href);
  });

  document.addEventListener("submit", event => {
    const form = event.target;
    if (form.method !== "get") return;
    event.preventDefault();
    const fields = [...new FormData(form)].filter(([, value]) => value !== "");
    const query = new URLSearchParams(fields).toString();
    const address = form.getAttribute("action") + (query ? "?" + query : "");
    history.pushState({}, "", address);
    show(address);
  });

  addEventListener("popstate", () => show(location.href));

  // Live numbers, and the page again when the log has changed: at most once in a while, and not behind another window.
  let waits = false, last = Date.now(), newest, patience = pause;
  const renew = () => {
    if (waits) return;
    waits = true;
    setTimeout(() => {
      waits = false;
      last = Date.now();
      if (document.hidden) document.addEventListener("visibilitychange", renew, { once: true });
      else show(location.href, true);
    }, Math.max(0, last + pause - Date.now()));
  };

  // The page says which state of the log it shows, if it shows one.
  const compare = () => {
    const state = (document.querySelector(".bar") || { dataset: {} }).dataset.state;
    if (state !== undefined && newest && state !== newest) renew();
  };

  // Behind another window nothing is listened to: a browser has few connections to a server, and other pages need them.
  const listen = () => {
    const bar = document.querySelector("[data-live-address]");
    const address = bar && !document.hidden && bar.dataset.liveAddress;
    if (source && source.address === address && source.readyState !== EventSource.CLOSED) return;
    if (source) source.close();
    source = undefined;
    newest = undefined;
    if (!address) return;
    source = new EventSource(address);
    source.address = address;
    source.addEventListener("live", event => {
      const numbers = JSON.parse(event.data);
      for (const node of document.querySelectorAll("[data-live]")) {
        const text = numbers[node.dataset.live];
        if (text !== undefined && node.textContent !== text) node.textContent = text;
      }
    });
    source.addEventListener("commit", event => {
      newest = event.data;
      patience = pause;
      compare();
    });
    // What is not told any more is not known.
    source.addEventListener("error", () => {
      for (const node of document.querySelectorAll("[data-live]")) node.textContent = "–";
      if (!source || source.readyState !== EventSource.CLOSED) return;
      setTimeout(listen, patience);
      patience = Math.min(2 * patience, 600000);
    });
  };
  document.addEventListener("visibilitychange", listen);
  addEventListener("pagehide", () => { if (source) source.close(); });
  addEventListener("pageshow", event => { if (event.persisted) listen(); });
  listen();
})();

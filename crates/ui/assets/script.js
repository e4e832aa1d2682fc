// The dashboard's one script: live calls, gaps that open, the playground. Pages work without it, save the playground.
"use strict";

const POLL_MS = 1000;
const MOST_ROWS = 200;

/** Fetches a part of a page. */
async function part(address) {
  const answer = await fetch(address, { headers: { accept: "text/html" } });
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  return answer.text();
}

/** The rows in a part of a table; the server has escaped every text in it. */
function rows(html) {
  const table = document.createElement("template");
  table.innerHTML = `<table><tbody>${html}</tbody></table>`;
  return [...table.content.querySelectorAll("tr")];
}

/** Keeps a list of calls up to date while somebody looks at it. */
function keepLive(body) {
  const mark = document.querySelector("[data-live-mark]");
  let last = Math.max(0, ...[...body.rows].map((row) => Number(row.dataset.id)));
  const poll = async () => {
    if (document.visibilityState === "visible") {
      try {
        const address = new URL(body.dataset.live, location.href);
        address.searchParams.set("after", String(last));
        const fresh = rows(await part(address));
        for (const row of fresh.reverse()) {
          row.classList.add("fresh");
          body.prepend(row);
          last = Math.max(last, Number(row.dataset.id));
        }
        while (body.rows.length > MOST_ROWS) body.lastElementChild.remove();
        if (fresh.length) {
          document.querySelector(".empty")?.remove();
          await renewFigures();
        }
        mark?.classList.remove("stopped");
        if (mark) mark.textContent = "live";
      } catch {
        mark?.classList.add("stopped");
        if (mark) mark.textContent = "not connected";
      }
    }
    setTimeout(poll, POLL_MS);
  };
  setTimeout(poll, POLL_MS);
}

/** Renews the figures at the top. */
async function renewFigures() {
  const old = document.querySelector("[data-renew]");
  if (!old) return;
  const fresh = document.createElement("template");
  fresh.innerHTML = await part(old.dataset.renew);
  old.replaceWith(fresh.content);
}

/** Opens a gap: the lines come before what is left of it. */
async function open(link) {
  const gap = link.closest("tr");
  const first = Number(link.dataset.first);
  const last = Number(link.dataset.last);
  const count = Math.min(200, last - first + 1);
  const lines = rows(await part(`${link.dataset.open}?first=${first}&count=${count}`));
  for (const line of lines) line.classList.add("opened");
  gap.before(...lines);
  const next = first + lines.length;
  if (next > last || !lines.length) {
    gap.remove();
    return;
  }
  link.dataset.first = String(next);
  const number = (value) => value.toLocaleString("en");
  link.textContent = `${number(last - next + 1)} lines not shown (${number(next)}–${number(last)})`;
}

document.addEventListener("click", async (event) => {
  const gap = event.target.closest("a[data-open]");
  if (gap) {
    event.preventDefault();
    await open(gap);
    return;
  }
  const copied = event.target.closest("[data-copy]");
  if (copied) {
    await navigator.clipboard?.writeText(copied.textContent);
    copied.classList.add("copied");
    setTimeout(() => copied.classList.remove("copied"), 1200);
    return;
  }
  const row = event.target.closest("tr[data-href]");
  if (row && !event.target.closest("a") && !String(getSelection())) location.assign(row.dataset.href);
});

document.addEventListener("keydown", (event) => {
  if (event.target.matches("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey) return;
  const follow = (relation) => document.querySelector(`a[rel="${relation}"]`)?.click();
  if (event.key === "/") {
    event.preventDefault();
    document.querySelector(".search input")?.focus();
  } else if (event.key === "n") {
    follow("next");
  } else if (event.key === "p") {
    follow("prev");
  }
});

/** The playground: every change makes a new reply; an answer that comes too late is not shown. */
function playground(form) {
  const find = (id) => document.getElementById(id);
  const input = find("input");
  let file = null;
  let turn = 0;
  let timer = 0;
  // From 200 to 200,000 characters, evenly by order of magnitude.
  const limit = () => {
    const exact = 200 * 1000 ** (Number(find("limit").value) / 100);
    return Math.round(exact / 100) * 100;
  };
  const cut = async () => {
    const mine = ++turn;
    find("limit-shown").textContent = `${limit().toLocaleString("en")} characters`;
    const body = file ?? input?.value ?? "";
    if (!form.dataset.artifact && !body) return;
    const address = new URL("/ui/playground/cut", location.href);
    for (const [name, value] of new FormData(form)) if (typeof value === "string" && value) address.searchParams.set(name, value);
    address.searchParams.set("limit", String(limit()));
    if (form.dataset.artifact) address.searchParams.set("artifact", form.dataset.artifact);
    const answer = await fetch(address, { method: "POST", body: form.dataset.artifact ? "" : body });
    if (mine !== turn) return;
    if (!answer.ok) {
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      find("figures").textContent = page.querySelector("main p")?.textContent ?? `error ${answer.status}`;
      return;
    }
    const made = await answer.json();
    if (mine !== turn) return;
    const report = made.reply.report;
    find("reply").textContent = made.reply.text;
    find("why").innerHTML = made.explained;
    find("command").textContent = made.command;
    find("configuration").textContent = made.configuration;
    const number = (value) => (value ?? 0).toLocaleString("en");
    find("figures").textContent =
      `${number(report.original_size)} characters in, ${number(report.truncated_size)} shown · ` +
      `${number(report.original_tokens)} tokens in, ${number(report.truncated_tokens)} shown · ` +
      `${report.kind} (${report.kind_reason}) · strategy ${report.strategy ?? "none"} · ${(report.duration_us / 1000).toFixed(1)} ms`;
  };
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(cut, 60);
  };
  form.addEventListener("input", (event) => {
    if (event.target === input) file = null;
    soon();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  const take = (chosen) => {
    if (!chosen) return;
    file = chosen;
    if (input) input.value = `(${chosen.name}, ${chosen.size.toLocaleString("en")} bytes)`;
    soon();
  };
  find("file").addEventListener("change", (event) => take(event.target.files[0]));
  input?.addEventListener("dragover", (event) => {
    event.preventDefault();
    input.classList.add("over");
  });
  input?.addEventListener("dragleave", () => input.classList.remove("over"));
  input?.addEventListener("drop", (event) => {
    event.preventDefault();
    input.classList.remove("over");
    take(event.dataTransfer.files[0]);
  });
  cut();
}

for (const body of document.querySelectorAll("tbody[data-live]")) keepLive(body);
const form = document.getElementById("playground");
if (form) playground(form);

// The journal shows new calls by itself, the newest first.
const rows = document.querySelector("[data-journal]");
let last = "";

function row(entry) {
  const cells = [entry.at.slice(11, 19), entry.operation, `${entry.method} ${entry.path}`, entry.user, entry.status || "", entry.fault];
  const line = document.createElement("tr");
  line.append(...cells.map((text) => {
    const cell = document.createElement("td");
    cell.textContent = text;
    return cell;
  }));
  return line;
}

async function look() {
  try {
    const answer = await fetch("/_manage/journal");
    const text = answer.ok ? await answer.text() : last;
    if (text !== last) {
      const entries = JSON.parse(text).entries;
      if (entries.length > 0 || last !== "") rows.replaceChildren(...entries.slice(-100).reverse().map(row));
      last = text;
    }
  } catch {
    // The sandbox may come back.
  }
  setTimeout(look, 2000);
}

if (rows) look();

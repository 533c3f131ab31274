// The settings of fields. A field's heading follows its label, and what its kind brought
// follows a changed kind until somebody touches it: the label, and the size.

const kinds = () => document.getElementById("kinds").content;

/** What a kind of that name brings: the word of its label, and its size in points. */
export function kindOf(name) {
  const kind = kinds().querySelector(`[value="${name}"]`);
  return { word: kind.textContent, width: Number(kind.dataset.width), height: Number(kind.dataset.height) };
}

/** The number that was typed, if it is one. */
export const typed = (input) => (input.value.trim() === "" ? NaN : Number(input.value));

/** Lets the headings, labels and sizes of the form's fields follow what is chosen. */
export function fields(form) {
  for (const part of form.querySelectorAll(".composed")) {
    const input = (name) => form.elements[`${part.dataset.field}.${name}`];
    let before = kindOf(input("kind").value);
    input("kind").addEventListener("input", ({ target }) => {
      const now = kindOf(target.value);
      follow(form, input, before, now);
      before = now;
    });
    part.addEventListener("input", () => title(part, input));
    title(part, input);
  }
}

function follow(form, input, before, now) {
  const [width, height, label] = ["width", "height", "label"].map(input);
  if (width && typed(width) === before.width && typed(height) === before.height) {
    width.value = now.width;
    height.value = now.height;
  }
  if (label?.value.startsWith(`${before.word} `) && /^\d+$/.test(label.value.slice(before.word.length + 1))) {
    label.value = unused(form, now.word);
  }
}

// The word and the first number with which no field is called so.
function unused(form, word) {
  const labels = [...form.querySelectorAll('[name$=".label"]')].map((label) => label.value.trim());
  const taken = new Set(labels.concat([...form.querySelectorAll(".composed > legend")].map((legend) => legend.textContent)));
  let n = 1;
  while (taken.has(`${word} ${n}`)) {
    n += 1;
  }
  return `${word} ${n}`;
}

function title(part, input) {
  const label = input("label");
  if (!label) {
    return; // the PDF says what it is called
  }
  const custom = input("custom");
  const account = input("kind").value === "custom" && custom.value ? custom.selectedOptions[0].textContent : "";
  part.querySelector("legend").textContent = account || label.value.trim() || input("kind").selectedOptions[0].textContent;
}

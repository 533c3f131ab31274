// The text of a page: a part that opens in the place of the link to it, and asks for the text
// then. What it says where there is none stands around it, for all pages.

/** Makes the link to a page's text a part that opens. */
export function unfold(link) {
  const part = document.createElement("details");
  const name = document.createElement("summary");
  const text = document.createElement("p");
  const { failed, without } = link.closest("[data-without]").dataset;
  name.textContent = link.textContent;
  text.className = "page-text";
  text.setAttribute("aria-live", "polite");
  part.append(name, text);
  part.addEventListener("toggle", async () => {
    if (!part.open || text.textContent) {
      return;
    }
    const answer = await fetch(link.href).catch(() => null);
    const content = answer?.ok ? (await answer.text()).trim() : null;
    text.textContent = content === "" ? without : content ?? failed;
  });
  (link.closest(".links") ?? link).replaceWith(part);
}

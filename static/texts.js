// The words of the scripts. They come with the page, in the reader's language,
// in the element with the id "texts".

const source = document.getElementById("texts");

/** The sentence of a message id; the id itself where the page has none. */
export function text(id) {
  const found = source?.content.querySelector(`[data-text="${id}"]`);
  return found ? found.textContent : id;
}

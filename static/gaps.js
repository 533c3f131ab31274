// Pictures of pages in which characters are missing. The server says so in a header of the
// picture that is meant for measures, the only one that a page can read of a picture.

const gaps = new Set(); // paths of pictures
let tell = () => {};

if (globalThis.PerformanceObserver?.supportedEntryTypes?.includes("resource")) {
  new PerformanceObserver((list) => list.getEntries().forEach(read)).observe({ type: "resource", buffered: true });
}

function read({ name, serverTiming }) {
  if (serverTiming?.some((measure) => measure.name === "missing")) {
    const { pathname } = new URL(name);
    gaps.add(pathname);
    tell(pathname);
  }
}

/** Calls a function with the path of each such picture that is loaded, and of those to come. */
export function eachGap(f) {
  tell = f;
  gaps.forEach(f);
}

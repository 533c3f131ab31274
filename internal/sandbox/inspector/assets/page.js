// The page goes on by itself: every two seconds it takes over what has changed, but for what
// somebody is using.
const parts = (page) => [...page.querySelectorAll("[data-live]")];
let last = parts(document).map((part) => part.innerHTML);

const calls = (part) => [...part.querySelectorAll("details")];
const focused = (call) => call.firstElementChild === document.activeElement;

function inUse(part) {
  const selection = getSelection();
  return (part.contains(document.activeElement) && !calls(part).some(focused)) || (!selection.isCollapsed && selection.containsNode(part, true));
}

function take(page) {
  const fresh = parts(page);
  parts(document).forEach((part, i) => {
    const html = fresh[i]?.innerHTML;
    if (html === undefined || html === last[i] || inUse(part)) return;
    const before = new Map(calls(part).map((call) => [call.dataset.call, { open: call.open, focus: focused(call) }]));
    part.replaceChildren(...fresh[i].childNodes);
    calls(part).forEach((call) => {
      const was = before.get(call.dataset.call);
      call.open = was?.open ?? false;
      if (was?.focus) call.firstElementChild.focus({ preventScroll: true });
    });
    last[i] = html;
  });
}

function look() {
  const request = new XMLHttpRequest();
  request.open("GET", "/_manage/");
  request.setRequestHeader("Accept", "text/html");
  request.responseType = "document";
  request.onload = () => { if (request.status === 200 && request.response) take(request.response); };
  request.onloadend = () => setTimeout(look, 2000);
  request.send();
}

setTimeout(look, 2000);

/**
 * Leaves a picture of an element that is about to be removed, in its place above the page, until the style sheet has
 * moved it away (`motion.css`). The element itself goes at once: nothing waits for the picture, and nobody can focus,
 * press or hear it. Without motion there is none.
 */
export function leavePicture(element: HTMLElement): void {
  const picture = document.createElement("div");
  const { left, top, width, height } = element.getBoundingClientRect();
  picture.className = `${element.className} leaving`;
  picture.popover = "manual";
  picture.inert = true;
  picture.ariaHidden = "true";
  Object.assign(picture.style, {
    left: `${left}px`,
    top: `${top}px`,
    width: `${width}px`,
    height: `${height}px`,
  });
  picture.append(...element.cloneNode(true).childNodes);
  // Labels and groups of radio buttons must not take these for those of the page.
  for (const named of picture.querySelectorAll("[id], [name]")) {
    named.removeAttribute("id");
    named.removeAttribute("name");
  }
  document.body.append(picture);
  picture.showPopover();
  picture.scrollTop = element.scrollTop;
  // A cancelled animation rejects.
  const movements = picture.getAnimations().map(({ finished }) => finished);
  void Promise.allSettled(movements).then(() => picture.remove());
}

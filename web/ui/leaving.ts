/**
 * Shows a copy of a removed element until its animation has ended (`motion.css`). The element itself is removed at
 * once, and the copy cannot be focused, pressed or read by screen readers. Without an animation there is no copy.
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
  // Otherwise labels and groups of radio buttons could refer to the copy.
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

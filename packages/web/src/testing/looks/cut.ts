import type { Seeing } from './seeing.ts';

/** If a text does not fit, an ellipsis or a button says so. */
export function cut({ isVisible, nameOf, cutters, all }: Seeing): readonly string[] {
  const found = new Map<Element, string>();
  const saysSo = (element: Element): boolean => {
    const style = getComputedStyle(element);
    return (
      style.textOverflow === 'ellipsis' ||
      style.getPropertyValue('-webkit-line-clamp') !== 'none' ||
      // A fold has its button next to it.
      element.parentElement?.querySelector(':scope > [aria-expanded]') != null
    );
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    const holder = node.parentElement;
    if (holder === null || node.textContent?.trim() === '' || !isVisible(holder)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    const own = getComputedStyle(holder).overflowX === 'visible' ? [] : [holder];
    for (const cutter of [...own, ...cutters(holder)]) {
      const { overflowX, overflowY } = getComputedStyle(cutter);
      const frame = cutter.getBoundingClientRect();
      const scrollsX = overflowX === 'auto' || overflowX === 'scroll';
      const scrollsY = overflowY === 'auto' || overflowY === 'scroll';
      const isCutX = !scrollsX && overflowX !== 'visible' && (box.right > frame.right + 1 || box.left < frame.left - 1);
      const isCutY = !scrollsY && overflowY !== 'visible' && (box.bottom > frame.bottom + 3 || box.top < frame.top - 3);
      if (saysSo(cutter)) break;
      if (isCutX || isCutY) {
        found.set(holder, `${nameOf(holder)} is cut off by ${nameOf(cutter).split(' “')[0]}`);
        break;
      }
      // What scrolls can be brought into view, and what clips it further out clips the frame, not the text.
      if (scrollsX && scrollsY) break;
    }
  }
  const pen = document.createElement('canvas').getContext('2d');
  for (const field of all('input:not([type="checkbox"]):not([type="radio"]), select')) {
    const style = getComputedStyle(field);
    if (pen === null || style.textOverflow === 'ellipsis') continue;
    pen.font = style.font;
    const text =
      field instanceof HTMLSelectElement
        ? (field.selectedOptions[0]?.textContent ?? '')
        : field instanceof HTMLInputElement && field.value === ''
          ? field.placeholder
          : '';
    const room = field.clientWidth - Number.parseFloat(style.paddingLeft) - Number.parseFloat(style.paddingRight);
    if (pen.measureText(text).width > room + 1) found.set(field, `${nameOf(field)}: “${text}” does not fit`);
  }
  return [...found.values()];
}

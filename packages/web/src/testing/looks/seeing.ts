/** What every check needs to know about an element. */
export interface Seeing {
  readonly isVisible: (element: Element) => boolean;
  /** The visible elements that match a selector. */
  readonly all: (selector: string) => readonly Element[];
  /** A few words by which a person finds the element. */
  readonly nameOf: (element: Element) => string;
  /** The ancestors whose overflow clips the element, nearest first; none beyond one that is fixed to the window. */
  readonly cutters: (element: Element) => readonly Element[];
}

export type Check = (seeing: Seeing) => readonly string[];

/** Runs in the page, serialised as text: it may use nothing from outside itself. */
export function seeing(): Seeing {
  const isHiddenOnPurpose = (element: Element): boolean =>
    element.closest('.visually-hidden, .katex-mathml, .skip:not(:focus)') !== null;
  const isVisible = (element: Element): boolean => {
    const { width, height } = element.getBoundingClientRect();
    return (
      width > 0 &&
      height > 0 &&
      element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
      !isHiddenOnPurpose(element)
    );
  };
  const nameOf = (element: Element): string => {
    const kind = element.getAttribute('role') ?? element.tagName.toLowerCase();
    const names = [...element.classList].map((name) => `.${name}`).join('');
    const words = (element.getAttribute('aria-label') ?? element.textContent).replaceAll(/\s+/g, ' ').trim();
    return `${kind}${names}${words === '' ? '' : ` “${words.length > 40 ? `${words.slice(0, 40)}…` : words}”`}`;
  };
  const cutters = (element: Element): readonly Element[] => {
    const found: Element[] = [];
    let isFixed = getComputedStyle(element).position === 'fixed';
    for (let each = element.parentElement; each !== null && each !== document.body && !isFixed;) {
      const { overflowX, overflowY, position } = getComputedStyle(each);
      if (overflowX !== 'visible' || overflowY !== 'visible') found.push(each);
      isFixed = position === 'fixed';
      each = each.parentElement;
    }
    return found;
  };
  return {
    isVisible,
    all: (selector) => [...document.body.querySelectorAll(selector)].filter(isVisible),
    nameOf,
    cutters,
  };
}

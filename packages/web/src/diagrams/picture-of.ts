import type { Drawn } from './ask.ts';

/**
 * An SVG as the address of a picture: as such it can run no script and fetch nothing. It gets the size that it was
 * drawn for, because a picture has no container that would give it one.
 */
export function pictureOf(svg: string): Extract<Drawn, { readonly kind: 'drawn' }> | null {
  const parsed = new DOMParser().parseFromString(svg, 'image/svg+xml');
  const root = parsed.documentElement;
  if (root.localName !== 'svg' || parsed.querySelector('parsererror') !== null) return null;
  const [, , width = 0, height = 0] = (root.getAttribute('viewBox') ?? '').split(/[\s,]+/).map(Number);
  if (!(width > 0 && height > 0)) return null;
  const size = { width: Math.ceil(width), height: Math.ceil(height) };
  root.setAttribute('width', String(size.width));
  root.setAttribute('height', String(size.height));
  root.removeAttribute('style');
  const text = new XMLSerializer().serializeToString(root);
  return { kind: 'drawn', url: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`, ...size };
}

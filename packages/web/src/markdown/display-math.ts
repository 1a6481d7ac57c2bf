const CODE = /(```[\s\S]*?(?:```|$)|`+[^`]*`+)/;

/**
 * Writes every kind of mathematics as `$$…$$`, the only kind that the renderer accepts. A single dollar counts only by
 * Pandoc's rule (no blank just inside either dollar, no digit after the last), so that “from $5 to $10” stays money.
 */
export function withDisplayMath(text: string): string {
  return text
    .split(CODE)
    .map((part, index) => (index % 2 === 1 ? part : convert(part)))
    .join('');
}

function convert(text: string): string {
  return text
    .replaceAll(
      /^([ \t]*)\$\$(?!\$)([^$\n]+)\$\$[ \t]*$/gm,
      // Alone on its line it is a formula of its own; the renderer would put it into the text.
      (_, indent: string, inner: string) => `${indent}$$\n${indent}${inner.trim()}\n${indent}$$`,
    )
    .replaceAll(/\\\[([\s\S]+?)\\\]/g, (_, inner: string) => `\n$$\n${inner.trim()}\n$$\n`)
    .replaceAll(/\\\((.+?)\\\)/g, (_, inner: string) => `$$${inner.trim()}$$`)
    .replaceAll(/(?<![\\$])\$(?![\s$])([^$\n]*[^\s$\\])\$(?![\d$])/g, (_, inner: string) => `$$${inner}$$`);
}

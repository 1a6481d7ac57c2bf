const LONGEST = 200;

/**
 * A name that can stand in a message, a header and a list: one line, without the directories that some browsers send,
 * and without characters that reverse how it reads (`gpj.exe` for `exe.jpg`).
 */
export function fitName(given: string): string {
  const last = given.split(/[/\\]/).at(-1) ?? '';
  const plain = last
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
    .trim();
  if (plain === '' || plain === '.' || plain === '..') return 'file';
  return shortened(plain);
}

/** OpenAI decides what a document is by the end of its name. */
export function withExtension(name: string, extension: string): string {
  return name.toLowerCase().endsWith(extension) ? name : `${shortened(name, LONGEST - extension.length)}${extension}`;
}

/** The extension stays, and no character is cut in half. */
function shortened(name: string, longest: number = LONGEST): string {
  if (name.length <= longest) return name;
  const extension = /\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0] ?? '';
  const head = name.slice(0, longest - extension.length - 1).replace(/[\uD800-\uDBFF]$/, '');
  return `${head}…${extension}`;
}

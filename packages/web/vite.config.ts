import react from '@vitejs/plugin-react';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { defineConfig } from 'vite';
import { thirdPartyLicenses } from '../../scripts/third-party.mjs';

const bundled = new Set<string>();
/** Notes what goes into the page, and into its threads, which are bundles of their own. */
const noteBundled = (): Plugin => ({
  name: 'note-bundled',
  generateBundle: (_, bundle) => {
    for (const file of Object.values(bundle))
      if (file.type === 'chunk') for (const id of file.moduleIds) bundled.add(id);
  },
});
/** Lays the licences of what was bundled beside the page: who passes it on must pass them on. */
const layLicences = (): Plugin => ({
  name: 'lay-licences',
  writeBundle: async ({ dir = '.' }) => {
    await writeFile(join(dir, 'THIRD-PARTY.txt'), thirdPartyLicenses([...bundled]));
  },
});

export default defineConfig({
  plugins: [react(), noteBundled(), layLicences()],
  resolve: {
    conditions: ['bough-source', 'module', 'browser', 'development|production'],
    // What formats Markdown runs on a thread that has no document: browsers would get the forms that parse with one.
    alias: Object.fromEntries(
      ['decode-named-character-reference', 'hast-util-from-html-isomorphic'].map((name) => [
        name,
        fileURLToPath(import.meta.resolve(name)),
      ]),
    ),
  },
  worker: { format: 'es', plugins: () => [noteBundled()] },
  build: {
    outDir: 'dist',
    rolldownOptions: {
      // The frame that draws diagrams is a page of its own: its program is large, and its texts come from models.
      input: ['index.html', 'diagram.html'].map((page) => fileURLToPath(new URL(page, import.meta.url))),
    },
    target: 'es2022',
    // The page is served by Bough itself, on the same machine: what matters is what the browser must parse.
    reportCompressedSize: true,
    // Markdown with its mathematics and languages is large, and loaded only when there is something to render.
    chunkSizeWarningLimit: 700,
    // Small fonts would become data: addresses, which the page's own security policy refuses.
    assetsInlineLimit: 0,
  },
  server: { proxy: { '/api': 'http://127.0.0.1:4870' } },
});

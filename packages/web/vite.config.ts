import react from '@vitejs/plugin-react';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [react()],
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
  worker: { format: 'es' },
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

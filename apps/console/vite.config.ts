import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const output = join(import.meta.dirname, '../../dist/apps/console');

export default defineConfig({
  plugins: [
    react(),
    { name: 'compress', apply: 'build', closeBundle: () => compress(join(output, 'assets')) },
  ],
  build: {
    outDir: output,
    emptyOutDir: true,
    // Inline data would need exceptions from the Content-Security-Policy.
    assetsInlineLimit: 0,
    target: 'es2022',
    reportCompressedSize: false,
  },
});

/** Writes `.br` and `.gz` beside each asset, so that the gateway compresses nothing. */
function compress(folder: string): void {
  for (const name of readdirSync(folder)) {
    const bytes = readFileSync(join(folder, name));
    writeFileSync(join(folder, `${name}.gz`), gzipSync(bytes, { level: 9 }));
    const parameters = { [constants.BROTLI_PARAM_QUALITY]: 10 };
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(bytes, { params: parameters }));
  }
}

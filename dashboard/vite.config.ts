import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Built into `dist/dashboard`, from where the gateway serves it. In development, `/v1` is the gateway's. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  build: { outDir: '../dist/dashboard', emptyOutDir: true, sourcemap: true },
  server: {
    proxy: { '/v1': `http://127.0.0.1:${process.env['HOLDFAST_PORT'] ?? '7420'}` },
  },
});

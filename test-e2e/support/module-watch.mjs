/**
 * Writes down which packages a process loads: `node --import <this file> program.js`, with the file to write to in
 * `LOADED_PACKAGES_FILE`.
 */
import { appendFileSync } from 'node:fs';
import { register } from 'node:module';

register(
  `data:text/javascript,${encodeURIComponent(`
    import { appendFileSync } from 'node:fs';
    export const resolve = async (specifier, context, next) => {
      if (/^[@a-z]/.test(specifier))
        appendFileSync(process.env.LOADED_PACKAGES_FILE, specifier + '\\n');
      return next(specifier, context);
    };
  `)}`,
);
appendFileSync(process.env['LOADED_PACKAGES_FILE'] ?? '/dev/null', '');

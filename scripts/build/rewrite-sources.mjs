// @ts-check
import { readFileSync } from 'node:fs';

/**
 * Rewrites each source before it is compiled. A rewriting keeps the number of lines, for the source maps.
 * @param {(text: string, path: string) => string} more
 * @returns {import('esbuild').Plugin}
 */
export function rewriteSources(more) {
  return {
    name: 'rewrite-sources',
    setup(build) {
      build.onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => {
        const text = readFileSync(path, 'utf8').replace(/^import \{([^}]*)\} from '(node:[^']+)';$/gm, takeBuiltin);
        return { contents: more(text, path), loader: 'ts' };
      });
    },
  };
}

/**
 * Gets Node's built-in modules without an import, because the module loader copies each of them and all of its members.
 * @param {string} statement @param {string} names @param {string} module
 */
function takeBuiltin(statement, names, module) {
  const values = names
    .split(',')
    .map((name) => name.trim().replace(' as ', ': '))
    .filter((name) => name !== '' && !name.startsWith('type '));
  const rest = '\n'.repeat(statement.split('\n').length - 1);
  return values.length === 0 ? rest : `const { ${values.join(', ')} } = process.getBuiltinModule('${module}');${rest}`;
}

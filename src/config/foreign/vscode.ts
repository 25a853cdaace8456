import { isObject } from '../../wire/messages.ts';
import { pick } from '../json/decode.ts';
import type { JsonValue } from '../json/json-value.ts';
import type { WrittenEntry } from '../write/write-entry.ts';
import { connectionPart } from './entry-parts.ts';
import type { ForeignShape } from './foreign-server.ts';
import { readTable, type Translation } from './read-servers.ts';
import { editorSyntax, toVariableName, type VariableSyntax } from './variables.ts';

/** VS Code: `servers`, and `inputs` for values that it asks the user for. */
export const vscodeShape: ForeignShape = {
  title: 'VS Code',
  matches: ({ content }) => isObject(content) && isObject(content['servers']) && Array.isArray(content['inputs']),
  read: (root, place) =>
    readTable(pick(root, 'servers'), {
      place,
      syntax: withInputs(root),
      unusedReason: 'only VS Code uses it',
      translate,
    }),
};

function translate(translation: Translation): WrittenEntry | string {
  const { fields } = translation;
  const connection = connectionPart(translation);
  if (typeof connection === 'string') return connection;
  for (const key of ['sandboxEnabled', 'sandbox']) fields.drop(key, 'Switchboard does not run servers in a sandbox');
  fields.drop('dev', 'Switchboard has no debugger: it restarts a server when its entry changes');
  return connection;
}

/** `${input:id}` becomes the variable `ID`, with the default of the input. */
function withInputs(root: JsonValue): VariableSyntax {
  const inputs = pick(root, 'inputs')?.content;
  const declared = (Array.isArray(inputs) ? inputs : []).filter(isObject);
  return {
    pattern: editorSyntax.pattern,
    toPart(match, place) {
      const [, id] = /^input:(.*)$/.exec(match[2] ?? '') ?? [];
      if (id === undefined || match[1] !== undefined) return editorSyntax.toPart(match, place);
      const name = toVariableName(id).toUpperCase();
      const fallback = declared.find((input) => input['id'] === id)?.['default'];
      const isUsable = typeof fallback === 'string' && fallback !== '' && !/[{}]/.test(fallback);
      return { kind: 'variable', name, ...(isUsable ? { fallback } : {}) };
    },
  };
}

import { expect, test } from 'vitest';
import { checkHostOptions } from './check-options.ts';

test.each([
  ['null', null, 'createHost takes an object with options, or no argument.'],
  ['a misspelled option', { permision: {} }, 'createHost has no option "permision".'],
  ['a name from the prototype', { constructor: 1 }, 'createHost has no option "constructor".'],
  ['a config that is neither a path nor an object', { config: 5 }, 'The option config of createHost must be the path'],
  ['an empty path', { config: '' }, 'The option config of createHost must be the path'],
  ['a server instead of an array', { only: 'one' }, 'The option only of createHost must be a list of server ids'],
  ['an empty array', { only: [] }, 'with at least one in it.'],
  ['a limit that is too low', { maxResultBytes: 5 }, 'maxResultBytes of createHost must be a whole number of bytes'],
  ['a root without a URI', { roots: [{}] }, 'must be a list of roots, each with a uri.'],
  ['roots that are not an array', { roots: 'file:///a' }, 'must be a list of roots, each with a uri.'],
  [
    'roots that are not folders',
    { roots: [{ uri: '/home/me' }, { uri: 'file:///a' }, { uri: 'https://b/\u001b[2J' }, { uri: 'file://[' }] },
    'must be a list of roots with file:// URIs, not "/home/me", "https://b/\\u001b[2J", "file://[": use pathToFileURL of node:url to convert a path.',
  ],
  ['an unknown log level', { logLevel: 'loud' }, 'must be one of debug, info, warn, error.'],
  ['a callback that is not a function', { signIn: true }, 'The option signIn of createHost must be a function.'],
])('rejects %s by name', (_, options, message) => {
  expect(() => checkHostOptions(options)).toThrow(message);
});

test('accepts valid, omitted and undefined options', () => {
  checkHostOptions({});
  checkHostOptions({ roots: [] });
  checkHostOptions({ roots: [{ uri: 'file:///home/me/a%20b', name: 'b' }, { uri: 'FILE:///c' }] });
  checkHostOptions({ config: undefined, signIn: undefined, only: undefined });
});

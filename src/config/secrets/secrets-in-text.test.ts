import { expect, test } from 'vitest';
import { formatArgument, maskArgument, secretsInArgument } from './masked-value.ts';
import { findSecrets } from './secrets-in-text.ts';

test.each([
  ['export MY_TOKEN=geheim; run', 'export MY_TOKEN=(value hidden); run'],
  ['env API_KEY=geheim node server.js', 'env API_KEY=(value hidden) node server.js'],
  ['run --token geheim --verbose', 'run --token (value hidden) --verbose'],
  ['run --token=geheim', 'run --token=(value hidden)'],
  ['run --api-key "ge heim" x', 'run --api-key "(value hidden)" x'],
  ["A_SECRET='ge heim' run", 'A_SECRET=(value hidden)'],
  ["curl -H 'X-Api-Key: geheim' x", "curl -H 'X-Api-Key: (value hidden)' x"],
  ['A_TOKEN=one B_TOKEN=two run', 'A_TOKEN=(value hidden)'],
  ['run A_TOKEN=one --verbose B_TOKEN=two', 'run A_TOKEN=(value hidden) --verbose B_TOKEN=(value hidden)'],
  ['run --token --verbose', 'run --token --verbose'],
  ['node server.js --max-tokens 5 PORT=80', 'node server.js --max-tokens 5 PORT=80'],
  ['the token is read from stdin', 'the token is read from stdin'],
  ['https://x/?token=geheim', 'https://x/?token=***'],
])('%j is shown as %j', (arg, shown) => {
  expect(maskArgument(arg, '-c')).toBe(shown);
  expect(formatArgument(arg, '-c')).not.toContain('heim');
});

test('redacts masked values in server output too', () => {
  expect(secretsInArgument("export MY_TOKEN='ge heim' && run --password other", '-c')).toEqual(['ge heim', 'other']);
});

test('processes a hostile text quickly', () => {
  const since = performance.now();
  for (const part of ['A_TOKEN="', '--token ', 'a-', "x_token='\\"]) findSecrets(part.repeat(50_000));
  expect(performance.now() - since).toBeLessThan(5_000);
});

test.each([
  ["curl -H 'Authorization: Bearer s3cr3tvalue1' https://x", 'Bearer s3cr3tvalue1'],
  ['curl -H "Authorization: Basic  czNjcjN0" https://x', 'Basic  czNjcjN0'],
  ['x --auth token s3cr3tvalue1', 'token s3cr3tvalue1'],
  ['export GITHUB_PAT=s3cr3tvalue1', 's3cr3tvalue1'],
  ['STRIPE_KEY=s3cr3tvalue1 node x', 's3cr3tvalue1'],
  ['DB_PASS=s3cr3tvalue1 node x', 's3cr3tvalue1'],
  ['x --key s3cr3tvalue1', 's3cr3tvalue1'],
  ['x --pat=s3cr3tvalue1', 's3cr3tvalue1'],
])('%s contains the whole value as a secret', (text, value) => {
  expect(findSecrets(text).map((found) => found.value)).toEqual([value]);
});

test.each([
  'PUBLIC_KEY=abcdefgh x',
  'x --keyboard abcdefgh',
  'x --path abcdefgh',
  'key: abcdefgh',
  'COMPAT=abcdefgh x',
  'PASSIVE=abcdefgh x',
])('%s contains no secret', (text) => {
  expect(findSecrets(text)).toEqual([]);
});

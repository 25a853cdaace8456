import { expect, test } from 'vitest';
import { gatewayUri, isGatewayUri } from './gateway-uri.ts';

test('a gateway URI contains the id and the whole URI, so that it is unique', () => {
  expect(gatewayUri('my server/x', 'file:///a b?q=1#é')).toBe(
    'switchboard://my%20server%2Fx/file%3A%2F%2F%2Fa%20b%3Fq%3D1%23%C3%A9',
  );
});

test('encodes a URI with a lone surrogate', () => {
  expect(gatewayUri('one', 'a:\ud800b')).toBe('switchboard://one/a%3A%EF%BF%BDb');
});

test.each([
  ['switchboard://status', true],
  ['SwitchBoard://status', true],
  ['switchboard:status', false],
  ['file:///switchboard://status', false],
  ['', false],
])('isGatewayUri of %j is %s', (uri, isOurs) => {
  expect(isGatewayUri(uri)).toBe(isOurs);
});

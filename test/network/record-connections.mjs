// @ts-check
// Loaded into every Node process of a test through NODE_OPTIONS: records connections, lookups and started programs in
// the file that TEST_RECORD names, one per line.
import childProcess from 'node:child_process';
import dgram from 'node:dgram';
import dns from 'node:dns';
import { appendFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';

const file = process.env['TEST_RECORD'] ?? '';

/** @param {string} what @param {unknown} value */
function record(what, value) {
  appendFileSync(file, `${what} ${value}\n`);
}

const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function (/** @type {any[]} */ ...args) {
  const [first] = Array.isArray(args[0]) ? args[0] : args;
  const { path, host = 'localhost', port } = typeof first === 'object' ? first : { port: first, host: args[1] };
  if (typeof path !== 'string') record('connect', `${host}:${port}`);
  return Reflect.apply(connect, this, args);
};

for (const module of [dns, dns.promises])
  for (const [name, original] of Object.entries(module))
    if (typeof original === 'function' && /^(?:lookup|resolve|reverse)/.test(name))
      Object.assign(module, {
        [name]: (/** @type {unknown[]} */ ...args) => {
          if (net.isIP(String(args[0])) === 0) record('lookup', args[0]);
          return Reflect.apply(original, module, args);
        },
      });

const { send } = dgram.Socket.prototype;
dgram.Socket.prototype.send = function (/** @type {unknown[]} */ ...args) {
  record('datagram', args.slice(1).join(' '));
  return Reflect.apply(send, this, args);
};

for (const name of /** @type {const} */ (['spawn', 'spawnSync', 'execFile', 'execFileSync', 'exec', 'execSync'])) {
  const original = childProcess[name];
  Object.assign(childProcess, {
    [name]: (/** @type {unknown[]} */ ...args) => {
      record('program', args[0]);
      return Reflect.apply(original, childProcess, args);
    },
  });
}

syncBuiltinESMExports();

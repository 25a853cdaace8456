// @ts-check
// Generates the images in docs/screens: npm run screens, or
// node scripts/screens.mjs [--main dist/cli/main.js] [--out dir] [scene…]
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { commandLine, size } from './screens/capture.mjs';
import { root } from './screens/home.mjs';
import { captureScene } from './screens/scene.mjs';
import { codexRun } from './screens/scenes/codex-run.mjs';
import { connect } from './screens/scenes/connect.mjs';
import { faultyHome } from './screens/scenes/faulty-home.mjs';
import { importServers } from './screens/scenes/import.mjs';
import { runningGateway } from './screens/scenes/running-gateway.mjs';
import { setup } from './screens/scenes/setup.mjs';
import { drawLines } from './screens/svg.mjs';
import { textOf } from './screens/terminal-emulator.mjs';

const scenes = {
  setup,
  import: importServers,
  connect,
  'faulty-home': faultyHome,
  'running-gateway': runningGateway,
  'codex-run': codexRun,
};
const text = /** @type {const} */ ({ type: 'string' });
const { values, positionals } = parseArgs({ options: { main: text, out: text }, allowPositionals: true });
const main = resolve(values.main ?? join(root, 'dist/cli/main.js'));
const out = resolve(values.out ?? join(root, 'docs/screens'));
mkdirSync(out, { recursive: true });
for (const [name, scene] of Object.entries(scenes))
  if (positionals.length === 0 || positionals.includes(name))
    await captureScene(scene, main, (screen, lines) => {
      writeFileSync(join(out, `${screen.name}.txt`), `${lines.map(textOf).join('\n')}\n`);
      writeFileSync(join(out, `${screen.name}.svg`), drawLines(lines, { ...size, title: commandLine(screen) }));
    });

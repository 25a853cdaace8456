import { EventEmitter, once } from 'node:events';
import { expect, test } from 'vitest';
import { startBackgroundTasks } from '../../src/cli/gateway/background-tasks.ts';
import { parseGatewayOptions } from '../../src/cli/gateway/options.ts';
import { createConfigRedactor } from '../../src/config/secrets/config-redactor.ts';
import { pinFile } from '../../src/config/trust/pin-store.ts';
import { watchConfig } from '../../src/config/watch/watch-config.ts';
import { useFolders } from '../config/folder.ts';
import { gatewayHarness } from './harness.ts';

const { openGateway } = gatewayHarness();
const newFolder = useFolders();

test('a gateway that is about to exit no longer watches its files', async () => {
  const folder = newFolder();
  const environment = folder.testEnvironment({ SWITCHBOARD_HOME: `${folder.path}/own` });
  const changes = new EventEmitter();
  let trustChanges = 0;
  const opened = openGateway({}).gateway;
  const gateway = { ...opened, trustChanged: () => void trustChanges++ };
  const writePins = async (text: string) => {
    const watcher = watchConfig({
      files: [pinFile(environment)],
      onChange: () => changes.emit('change'),
      onProblem: (message) => expect.fail(message),
    });
    folder.write('own/pins.json', text);
    await once(changes, 'change');
    watcher.close();
  };
  const secrets = createConfigRedactor({ cwd: '/', home: '/', env: {}, platform: 'linux' });
  const background = startBackgroundTasks({
    gateway,
    reload: { gateway, loadOptions: environment, secrets, warn: (text) => expect.fail(text) },
    options: parseGatewayOptions([]),
    context: {
      ...environment,
      output: { answer() {}, report() {} },
      packageRoot: new URL('file:///'),
      stopSavingCode() {},
    },
    startedAt: 0,
    redactor: secrets,
  });
  await expect.poll(() => trustChanges).toBe(1);
  await writePins('{ }');
  await expect.poll(() => trustChanges).toBe(2);
  background.stopAccepting();
  await writePins('{  }');
  expect(trustChanges).toBe(2);
  await background.close();
});

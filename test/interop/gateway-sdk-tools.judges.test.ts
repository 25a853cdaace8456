import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { trackProcesses } from '../processes.ts';
import { gatewayFor, longTimeoutEnv, officialServer } from './programs.ts';
import { recordingServer } from './recording-server.ts';
import { openSdkClient, sdkKinds } from './sdk-client.ts';

// Each test starts real servers, which start slowly.
const processes = trackProcesses();
const env = () => processes.env(longTimeoutEnv);
const everything = officialServer('everything');
const behaved = fixture('well-behaved');

describe.each(sdkKinds)('through the gateway the official client (%s)', (kind) => {
  test('sees all servers as one, with each definition as its server wrote it', async () => {
    using gateway = gatewayFor({ everything, behaved });
    const answers = { sampling: nobody, elicitation: nobody, roots: () => [] };
    await using client = await openSdkClient(kind, { ...gateway, env: env() }, answers);
    await using first = await openSdkClient(kind, { ...everything, env: env() }, answers);
    await using second = await openSdkClient(kind, { ...behaved, env: env() });

    expect(client.sdk.getServerVersion()).toMatchObject({ name: 'switchboard', title: 'Switchboard' });
    expect((await client.sdk.listTools()).tools).toEqual([
      ...prefixed('everything', (await first.sdk.listTools()).tools),
      ...prefixed('behaved', (await second.sdk.listTools()).tools),
    ]);
    const { prompts } = await first.sdk.listPrompts();
    expect((await client.sdk.listPrompts()).prompts).toEqual(prefixed('everything', prompts));
    const { resources } = await first.sdk.listResources();
    const status = expect.objectContaining({ uri: 'switchboard://status' });
    expect((await client.sdk.listResources()).resources).toEqual([...resources, status]);
    expect(await client.sdk.listResourceTemplates()).toEqual(await first.sdk.listResourceTemplates());
  });

  test('calls tools of the official servers and gets every kind of result', async () => {
    using gateway = gatewayFor();
    const folder = join(realpathSync(gateway.folder), 'files');
    mkdirSync(folder);
    gateway.configure({ everything, files: officialServer('filesystem', folder) });
    await using client = await openSdkClient(kind, { ...gateway, env: env() });
    // The client checks structured content against the schemas that it has listed.
    await client.sdk.listTools();

    expect(await client.callTool('everything__echo', { message: 'hi' })).toEqual(textResult('Echo: hi'));
    const weather = { temperature: 36, conditions: 'Light rain / drizzle', humidity: 82 };
    expect(await client.callTool('everything__get-structured-content', { location: 'Chicago' })).toEqual({
      ...textResult(JSON.stringify(weather)),
      structuredContent: weather,
    });
    const annotated = { messageType: 'error', includeImage: true };
    expect(await client.callTool('everything__get-annotated-message', annotated)).toMatchObject({
      content: [
        { type: 'text', annotations: { priority: 1, audience: ['user', 'assistant'] } },
        { type: 'image', mimeType: 'image/png', annotations: { priority: 0.5, audience: ['user'] } },
      ],
    });
    const path = join(folder, 'note.txt');
    await client.callTool('files__write_file', { path, content: 'grüße\n' });
    expect(await client.callTool('files__read_text_file', { path })).toEqual({
      ...textResult('grüße\n'),
      structuredContent: { content: 'grüße\n' },
    });
    expect(await client.callTool('files__read_text_file', { path: '/etc/passwd' })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('Access denied') }],
    });
  });

  test('gets all progress of a call, in order and before the result', async () => {
    using gateway = gatewayFor({ everything });
    await using client = await openSdkClient(kind, { ...gateway, env: env() });
    const operation = { duration: 0.2, steps: 4 };
    await client.callTool('everything__trigger-long-running-operation', operation, { onprogress: () => {} });
    const progressToken = client.received.at(-1)?.id;
    expect(client.received.slice(-5)).toEqual([
      ...[1, 2, 3, 4].map((progress) => ({
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progress, total: 4, progressToken },
      })),
      {
        jsonrpc: '2.0',
        id: progressToken,
        result: textResult('Long running operation completed. Duration: 0.2 seconds, Steps: 4.'),
      },
    ]);
  });

  test('cancels a call at its server', async () => {
    using gateway = gatewayFor();
    const { server, receives } = recordingServer(gateway.folder);
    gateway.configure({ behaved, server });
    await using client = await openSdkClient(kind, { ...gateway, env: env() });
    const cancel = new AbortController();
    const call = expect(client.callTool('server__wait', {}, { signal: cancel.signal })).rejects.toThrow('my mind');
    const { id } = await receives('tools/call');
    cancel.abort(new Error('changed my mind'));
    await call;
    expect(await receives('notifications/cancelled')).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: id, reason: expect.stringContaining('my mind') },
    });
    expect(await client.callTool('server__echo', { text: 'still here' })).toEqual(textResult('still here'));
  });

  test('is notified when lists change, and finds the new entries', async () => {
    using gateway = gatewayFor({ everything, growing: fixture('changes-its-list') });
    await using client = await openSdkClient(kind, { ...gateway, env: env() });
    const hasChanged = (list: string) =>
      client.waitFor(({ method }) => method === `notifications/${list}/list_changed`);
    await client.sdk.listResources();
    await client.sdk.listTools();
    expect(await client.callTool('growing__grow')).toEqual(textResult('grown-1'));
    await hasChanged('tools');
    expect((await client.sdk.listTools()).tools.map(({ name }) => name)).toContain('growing__grown-1');
    expect(await client.callTool('growing__grown-1')).toEqual(textResult('I am grown-1'));

    const file = { name: 'note.gz', data: 'data:text/plain,note', outputType: 'resourceLink' };
    await client.callTool('everything__gzip-file-as-resource', file);
    await hasChanged('resources');
    const uri = 'demo://resource/session/note.gz';
    expect((await client.sdk.listResources()).resources.map((resource) => resource.uri)).toContain(uri);
    expect(await client.sdk.readResource({ uri })).toMatchObject({ contents: [{ uri, mimeType: 'application/gzip' }] });
  });
});

function prefixed(id: string, list: readonly { readonly name: string }[]): object[] {
  return list.map((entry) => ({ ...entry, name: `${id}__${entry.name}` }));
}

function textResult(text: string) {
  return { content: [{ type: 'text', text }] };
}

function nobody(): never {
  throw new Error('Nobody was to be asked.');
}

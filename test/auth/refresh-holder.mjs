// @ts-check
// Begins to renew a sign-in and never comes to an end. Arguments: the built modules and the home.
const [modules = '', home = ''] = process.argv.slice(2);
const { openAuthStore } = await import(modules);

const store = openAuthStore({ cwd: home, home, env: { SWITCHBOARD_HOME: home }, platform: process.platform });
await store.exclusively('notes', async () => {
  process.stdout.write('held\n');
  await new Promise((resolve) => setTimeout(resolve, 60_000));
});

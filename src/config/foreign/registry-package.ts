import type { WrittenEntry } from '../write/write-entry.ts';
import type { RegistryReader } from './registry-values.ts';

/** Returns the command that starts a package, or why that is impossible. */
export function packageEntry(reader: RegistryReader): WrittenEntry | string {
  const type = reader.text('registryType', 'registryName') ?? '';
  const identifier = reader.text('identifier', 'name') ?? '';
  const version = reader.text('version');
  const runner = RUNNERS[type];
  const transport = reader.nested('transport')?.text('type') ?? 'stdio';
  for (const key of ['registryBaseUrl', 'fileSha256'])
    reader.drop(key, 'the command that runs the package uses its own settings');
  if (transport !== 'stdio') return `the package serves ${transport}: start it yourself and add its URL`;
  if (runner === undefined) return `Switchboard cannot start a package of type ${type || 'unknown'}`;
  const variables = reader.list('environmentVariables').map((variable) => {
    return { name: variable.text('name') ?? '', value: variable.value() };
  });
  const { command, before, toPackage, isContainer } = runner;
  const runtime = argumentsOf(reader, 'runtimeArguments');
  const names = variables.map(({ name }) => name);
  const passed = isContainer ? names.flatMap((name) => ['-e', name]) : [];
  const env = variables.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value] as const]));
  const needed = variables.flatMap(({ name, value }) => (value === undefined ? [name] : []));
  const args = [
    ...mergeOptions(before, runtime),
    ...passed,
    toPackage(identifier, version),
    ...argumentsOf(reader, 'packageArguments'),
  ];
  return {
    transport: 'stdio',
    command: reader.text('runtimeHint') ?? command,
    args,
    ...(env.length === 0 ? {} : { env: Object.fromEntries(env) }),
    ...(needed.length === 0 ? {} : { env_vars: needed }),
    ...(reader.hasVariables() ? { expand_variables: true } : {}),
  };
}

interface Runner {
  readonly command: string;
  readonly before: readonly string[];
  toPackage(identifier: string, version: string | undefined): string;
  /** A container gets only the variables that the command names. */
  readonly isContainer?: boolean;
}

const at = (separator: string) => (identifier: string, version: string | undefined) =>
  version === undefined || version === '' ? identifier : `${identifier}${separator}${version}`;

const RUNNERS: Readonly<Record<string, Runner>> = {
  npm: { command: 'npx', before: ['-y'], toPackage: at('@') },
  pypi: { command: 'uvx', before: [], toPackage: at('==') },
  nuget: { command: 'dnx', before: ['--yes'], toPackage: at('@') },
  oci: {
    command: 'docker',
    before: ['run', '-i', '--rm'],
    isContainer: true,
    // Since 2025-12 the identifier is the whole reference.
    toPackage: (identifier, version) => (/[:@][^/]*$/.test(identifier) ? identifier : at(':')(identifier, version)),
  },
};

/** The runner's own options may be repeated in the file. */
function mergeOptions(before: readonly string[], runtime: readonly string[]): readonly string[] {
  return [...before.filter((option) => !runtime.includes(option)), ...runtime];
}

function argumentsOf(reader: RegistryReader, key: string): readonly string[] {
  return reader.list(key).flatMap((argument) => {
    const name = argument.text('name');
    const isNamed = argument.text('type') === 'named' && name !== undefined;
    const isRequired = argument.flag('isRequired');
    argument.text('valueHint');
    argument.flag('isRepeated');
    const given = argument.value();
    const value =
      given ?? (isRequired && !(isNamed && argument.text('format') === 'boolean') ? argument.reference() : undefined);
    if (isNamed) return value === undefined ? (isRequired ? [name] : []) : [name, value];
    return value === undefined ? [] : [value];
  });
}

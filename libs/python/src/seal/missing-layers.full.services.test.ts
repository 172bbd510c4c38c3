import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { SUCCESS } from './testing/escape';
import { fileEscapes } from './testing/file-escapes';
import { networkEscapes } from './testing/network-escapes';
import { kernelEscapes } from './testing/kernel-escapes';
import { processEscapes } from './testing/process-escapes';
import { runners, SealedSnippets } from './testing/sealed-snippets';
import type { SnippetTask } from './testing/sealed-snippets';

const escapes = [...fileEscapes, ...processEscapes, ...kernelEscapes, ...networkEscapes];
const nothing = { name: 'nothing', code: 'return True', sealed: true };
const mountCalls = { open_tree: 'EPERM', mount: 'EPERM', move_mount: 'EPERM' };

describe.each(runners())('as $user, where the kernel or a container refuses a layer', (runner) => {
  const snippets = new SealedSnippets(runner);
  afterAll(() => snippets.remove());

  const sealOf = async (task: Omit<SnippetTask, 'snippets'>, options = {}) => {
    const [result] = await snippets.run({ ...task, snippets: [{ ...nothing, options }] });
    return result!;
  };

  test.each([
    ['user namespaces', { unshare: 'EPERM' }, 'partly', 'user_namespace', /^unshare: EPERM/],
    ['mounts', mountCalls, 'partly', 'mount_namespace', /: EPERM/],
    ['Landlock', { landlock_create_ruleset: 'ENOSYS' }, 'partly', 'landlock', /: ENOSYS/],
    ['seccomp', { seccomp: 'EPERM' }, 'partly', 'seccomp', /^seccomp: EPERM/],
    [
      'everything',
      { unshare: 'EPERM', landlock_create_ruleset: 'ENOSYS', seccomp: 'EPERM' },
      'open',
      'network_namespace',
      /needs user_namespace/,
    ],
  ])('%s: the level and the reason are reported', async (_, refuse, level, layer, reason) => {
    const { seal, outcome } = await sealOf({ refuse });
    expect(seal?.level).toBe(level);
    expect(seal?.layers[layer]).toMatch(reason);
    expect(outcome).toBe('returned true');
  });

  test.each([
    ['user namespaces', { unshare: 'EPERM' }, 'user_namespace'],
    ['mounts', mountCalls, 'mount_namespace'],
    ['Landlock', { landlock_create_ruleset: 'ENOSYS' }, 'landlock'],
    ['seccomp', { seccomp: 'EPERM' }, 'seccomp'],
  ])('%s: a process that must be sealed is refused and runs nothing', async (_, refuse, layer) => {
    const { seal, outcome } = await sealOf({ refuse }, { required: true });
    expect(seal?.refused).toMatch(new RegExp(`^The process is not sealed\\. Missing: .*${layer} \\(`));
    expect(outcome).not.toMatch(/^returned/);
  });

  test('a limit of no user namespaces is such a refusal', async () => {
    const words = ['-c', 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"', 'sh'];
    const within = ['unshare', '--user', '--map-root-user', 'sh', ...words];
    const { seal } = await sealOf({ within });
    expect(seal?.level).toBe('partly');
    expect(seal?.layers['user_namespace']).toMatch(/^unshare: ENOSPC/);
    const refused = await sealOf({ within }, { required: true });
    expect(refused.seal?.refused).toMatch(/user_namespace/);
  });

  if (runner.uid === 0)
    test('a chroot, in which the kernel makes no user namespaces, is such a refusal', async () => {
      const root = join(snippets.folder, 'root');
      mkdirSync(root);
      const words = ['-c', 'mount --rbind / "$0" && exec chroot "$0" "$@"', root];
      const within = ['unshare', '--mount', '--propagation', 'private', 'sh', ...words];
      const { seal } = await sealOf({ within });
      expect(seal?.level).toBe('partly');
      expect(seal?.layers['user_namespace']).toMatch(/^unshare: EPERM/);
      const refused = await sealOf({ within }, { required: true });
      expect(refused.seal?.refused).toMatch(/user_namespace/);
    });

  const succeeded = async (refuse: Readonly<Record<string, string>>) => {
    const results = await snippets.run({
      refuse,
      snippets: escapes.map(({ title, code, options }) => ({
        name: title,
        code,
        sealed: true,
        ...(options && { options }),
      })),
    });
    return results.filter(({ outcome }) => SUCCESS.test(outcome)).map(({ name }) => name);
  };

  test('without user namespaces, Landlock and seccomp stop all but the look at a file', async () => {
    // Landlock covers no stat(2); whether it succeeds depends on the permissions of the folders.
    const possible = ['learns the size of a file of the service'];
    expect(possible).toEqual(expect.arrayContaining(await succeeded({ unshare: 'EPERM' })));
  }, 120_000);

  test('without Landlock, namespaces and seccomp stop all but the look at the new root', async () => {
    expect(await succeeded({ landlock_create_ruleset: 'ENOSYS' })).toEqual(['lists the root folder']);
  }, 120_000);
});

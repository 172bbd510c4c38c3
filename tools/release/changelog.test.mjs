import { equal, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { addRelease, notesOf, readPlan } from './changelog.mjs';

const CHANGELOG = `# Changelog

## Unreleased

### Added

- One.

### Fixed

- Two.
`;

test('a release has the entries without a release and those of its plans', () => {
  const plans = [
    readPlan('a.md', '---\n__default__: minor\n---\n\nThree,\nin two lines.\n'),
    readPlan('b.md', '---\nmillrace: patch\n---\n\nFour.\n'),
    readPlan('c.md', '---\nmillrace: major\n---\nFive.\n'),
  ];
  const first = addRelease(CHANGELOG, { version: '0.2.0', date: '2026-12-01', plans });
  equal(
    first,
    `# Changelog

## Unreleased

## 0.2.0 (2026-12-01)

### Added

- One.
- Three,
  in two lines.

### Fixed

- Two.
- Four.

### Changed

- Five.
`,
  );
  const second = addRelease(first, { version: '0.2.1', date: '2026-12-02', plans: plans.slice(1, 2) });
  equal(
    second.slice(0, second.indexOf('- One')),
    '# Changelog\n\n## Unreleased\n\n## 0.2.1 (2026-12-02)\n\n### Fixed\n\n- Four.\n\n## 0.2.0 (2026-12-01)\n\n### Added\n\n',
  );
});

test('the notes of a release are what stands below its heading', () => {
  const plans = [readPlan('a.md', '---\n__default__: minor\n---\nTwo.\n')];
  const text = addRelease('# Changelog\n\n## Unreleased\n', { version: '0.2.0', date: '2026-12-01', plans });
  equal(notesOf(text, '0.2.0'), '### Added\n\n- Two.');
  equal(notesOf('## Unreleased\n\n- One.\n\n## 0.1.0\n', '0.2.0'), '- One.');
  throws(() => notesOf('# Changelog\n', '0.3.0'), /no heading "## 0\.3\.0"/);
});

test('a file that is no version plan is an error', () => {
  throws(() => readPlan('a.md', 'Text'), /a\.md is no version plan/);
  throws(() => readPlan('a.md', '---\nmillrace: minor\n---\n'), /a\.md is no version plan/);
});

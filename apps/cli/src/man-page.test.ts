import { exitCodes } from './exit-codes';
import { manPage } from './man-page';

test('the manual page has each command and exit code, and no line that roff takes for a request', () => {
  const page = manPage('1.2.3');
  const lines = page.split('\n');
  expect(lines[0]).toBe('.TH MILLRACE 1 "" "Millrace 1.2.3" "User Commands"');
  for (const path of ['millrace up', 'millrace flows import', 'millrace completion'])
    expect(lines).toContain(`.SS ${path}`);
  for (const code of Object.values(exitCodes)) expect(lines).toContain(`.B ${code}`);
  expect(page).toContain('\\-\\-dry\\-run');
  const requests = lines.filter((line) => /^[.']/.test(line));
  for (const request of requests) expect(request).toMatch(/^\.(?:TH|SH|SS|TP|B|br|nf|fi)\b/);
});

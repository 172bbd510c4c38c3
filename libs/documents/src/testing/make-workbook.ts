import { makeZip } from './make-zip';

/** Returns a workbook with two sheets; `rows` is the XML of the rows of the sheet that is listed first. */
export function makeWorkbook(
  rows: string,
  { texts = [], styles = '' }: { readonly texts?: readonly string[]; readonly styles?: string } = {},
): Buffer {
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
  const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  const sheet = (content: string) =>
    `<worksheet xmlns="${main}"><sheetData>${content}</sheetData></worksheet>`;
  return makeZip({
    'xl/workbook.xml':
      `<workbook xmlns="${main}" xmlns:r="${office}"><sheets>` +
      '<sheet name="Figures" sheetId="7" r:id="b"/><sheet name="Other" sheetId="1" r:id="a"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels':
      '<Relationships><Relationship Id="a" Target="worksheets/sheet1.xml"/>' +
      '<Relationship Id="b" Target="worksheets/sheet2.xml"/></Relationships>',
    'xl/worksheets/sheet1.xml': sheet('<row r="1"><c r="A1"><v>404</v></c></row>'),
    'xl/worksheets/sheet2.xml': sheet(rows),
    'xl/sharedStrings.xml': `<sst xmlns="${main}">${texts.map((text) => `<si>${text}</si>`).join('')}</sst>`,
    'xl/styles.xml': `<styleSheet xmlns="${main}">${styles}</styleSheet>`,
  });
}

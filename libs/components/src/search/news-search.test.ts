import { outputOf } from '../testing/node-output.fixture';
import { startGoogleNews } from '../integrations/google-news/google-news-server.fixture';

test('returns all articles', async () => {
  const news = await startGoogleNews();
  const search = (query: string) =>
    outputOf('NewsSearch', { query }, { 'news.google.com': news }, 'articles');
  expect(await search('mill')).toMatchObject([
    { title: 'Mill & river reopened' },
    { title: 'Second mill burns' },
  ]);
  expect(await search('bread')).toMatchObject([{ title: 'Bread costs more' }]);
  await news.close();
  expect(await outputOf('NewsSearch', { query: 'mill' }, {}, 'articles')).toMatchObject([{ title: 'Error' }]);
});

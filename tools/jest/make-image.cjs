/** Makes the image of a data directory before the tests of databases on disk. */
module.exports = async () => {
  const { makeDataDirectoryImage } = await import('../build/data-directory-image.mjs');
  await makeDataDirectoryImage();
};

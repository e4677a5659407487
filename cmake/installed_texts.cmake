# cmake -DSOURCE=FOLDER -DTARGET=FOLDER -P installed_texts.cmake: README.md, CHANGELOG.md and docs/ for readers who have no
# sources.
# Of a link to a file that is not installed, the file's name in the sources is left.
file(GLOB texts RELATIVE ${SOURCE} ${SOURCE}/README.md ${SOURCE}/CHANGELOG.md ${SOURCE}/docs/*.md)
foreach(name IN LISTS texts)
  file(READ ${SOURCE}/${name} text)
  string(REPLACE "](docs/" "](DOCS/" text "${text}")  # README.md's links that stay
  string(REGEX REPLACE "\\[[^]]*\\]\\((\\.\\./)?([a-z/-]+/[A-Za-z._/-]+)(#[^)]*)?\\)" "`\\2`" text "${text}")
  string(REGEX REPLACE "\\[[^]]*\\]\\((\\.\\./)?(CONTRIBUTING\\.md)(#[^)]*)?\\)" "`\\2`" text "${text}")
  string(REPLACE "](DOCS/" "](docs/" text "${text}")
  file(WRITE ${TARGET}/${name} "${text}")
endforeach()
file(GLOB others RELATIVE ${SOURCE} ${SOURCE}/docs/*.svg ${SOURCE}/docs/schemas/*.json)
foreach(name IN LISTS others)
  configure_file(${SOURCE}/${name} ${TARGET}/${name} COPYONLY)
endforeach()

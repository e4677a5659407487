# What `cmake --install` puts where, and the packages that CPack makes of it. Everything is found from where the program
# is, so the tree can be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(CMC_LIBEXECDIR libexec/cmc)  # solver-bridge looks there, from bin/
install(TARGETS cmc cmc-audit RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
if(TARGET cmc-mpi)
  install(TARGETS cmc-mpi RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT mpi)
endif()
install(TARGETS cmc-solverd RUNTIME DESTINATION ${CMC_LIBEXECDIR} COMPONENT program)
install(TARGETS cmc-in-process LIBRARY DESTINATION ${CMC_LIBEXECDIR} COMPONENT program)

# Manual pages and completions are made of the option table.
set(CPACK_PACKAGE_CONTACT "The CMC developers <cmc@users.noreply.example>" CACHE STRING "who maintains the packages: NAME <MAIL>")
configure_file(packaging/changelog.in ${PROJECT_BINARY_DIR}/changelog @ONLY)
add_executable(cmc-texts checker/cli/texts_main.cc)
target_link_libraries(cmc-texts PRIVATE cmc_cli)
set(CMC_TEXTS ${PROJECT_BINARY_DIR}/texts)
file(GLOB CMC_DOCUMENTS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/*.md ${PROJECT_SOURCE_DIR}/docs/*.svg
     ${PROJECT_SOURCE_DIR}/docs/schemas/*.json)
add_custom_command(OUTPUT ${CMC_TEXTS}/stamp
                   COMMAND ${CMAKE_COMMAND} -E rm -rf ${CMC_TEXTS}
                   COMMAND ${CMAKE_COMMAND} -E make_directory ${CMC_TEXTS}
                   COMMAND cmc-texts ${CMC_TEXTS}
                   COMMAND ${CMAKE_COMMAND} -E copy ${PROJECT_BINARY_DIR}/changelog ${CMC_TEXTS}/changelog
                   COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DTARGET=${CMC_TEXTS}/documents
                           -P ${PROJECT_SOURCE_DIR}/cmake/installed_texts.cmake
                   COMMAND gzip -9 -n -r ${CMC_TEXTS}/man1 ${CMC_TEXTS}/changelog
                   COMMAND ${CMAKE_COMMAND} -E touch ${CMC_TEXTS}/stamp
                   DEPENDS cmc-texts ${PROJECT_BINARY_DIR}/changelog README.md CHANGELOG.md ${CMC_DOCUMENTS} cmake/installed_texts.cmake
                   VERBATIM COMMENT "Writing manual pages and completions")
add_custom_target(cmc_texts ALL DEPENDS ${CMC_TEXTS}/stamp)
install(DIRECTORY ${CMC_TEXTS}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT program)
install(FILES ${CMC_TEXTS}/cmc.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME cmc
        COMPONENT program)
install(FILES ${CMC_TEXTS}/_cmc DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT program)
install(FILES ${CMC_TEXTS}/cmc.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT program)

install(DIRECTORY models DESTINATION ${CMAKE_INSTALL_DATADIR}/cmc COMPONENT program)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright COMPONENT program)
install(FILES ${CMC_TEXTS}/changelog.gz DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
install(DIRECTORY ${CMC_TEXTS}/documents/ DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)

# The library: all modules in one archive, one public header, and what find_package(cmc) reads.
set(CMC_MODULES base ir promela automata generator reference vm native program plugin storage keyspace ranks por keys result plain shorten profile search solver_bridge guards properties
                report trace checkpoint check spin session suite rpc lsp dap explore mcp mutate conform cli api)
foreach(module IN LISTS CMC_MODULES)
  get_target_property(library cmc_${module} ALIASED_TARGET)  # where files are compiled in groups
  if(NOT library)
    list(APPEND CMC_OBJECTS $<TARGET_OBJECTS:cmc_${module}>)
  endif()
endforeach()
add_library(cmc_library STATIC ${CMC_OBJECTS})
add_library(cmc::cmc ALIAS cmc_library)
set_target_properties(cmc_library PROPERTIES OUTPUT_NAME cmc EXPORT_NAME cmc LINKER_LANGUAGE CXX)
target_compile_features(cmc_library INTERFACE cxx_std_17)
target_include_directories(cmc_library INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/checker/api>
                                                 $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(cmc_library PRIVATE fmt::fmt PkgConfig::XXHASH OpenSSL::Crypto ZLIB::ZLIB Threads::Threads
                                          ${CMAKE_DL_LIBS})
install(TARGETS cmc_library EXPORT cmc ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR}-dev RENAME copyright COMPONENT library)
install(FILES ${CMC_TEXTS}/changelog.gz DESTINATION ${CMAKE_INSTALL_DOCDIR}-dev COMPONENT library)
install(FILES checker/api/cmc/cmc.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/cmc COMPONENT library)
set(CMC_CONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/cmc)
install(EXPORT cmc NAMESPACE cmc:: DESTINATION ${CMC_CONFIG_DIR} FILE cmcTargets.cmake COMPONENT library)
configure_package_config_file(cmake/cmcConfig.cmake.in ${PROJECT_BINARY_DIR}/cmcConfig.cmake
                              INSTALL_DESTINATION ${CMC_CONFIG_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmcConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cmcConfig.cmake ${PROJECT_BINARY_DIR}/cmcConfigVersion.cmake
        DESTINATION ${CMC_CONFIG_DIR} COMPONENT library)

if(PROJECT_IS_TOP_LEVEL)
  include(cmake/packages.cmake)
endif()

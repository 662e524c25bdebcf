# kernatlas_library(FOLDER SOURCES ... LINKS ... [PRIVATE_LINKS ...]): one library per top folder,
# named kernatlas_<folder> with the alias kernatlas::<folder>. Its headers are installed beside it.
function(kernatlas_library folder)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS;PRIVATE_LINKS" ${ARGN})
  add_library(kernatlas_${folder} STATIC ${ARG_SOURCES})
  add_library(kernatlas::${folder} ALIAS kernatlas_${folder})
  set_target_properties(kernatlas_${folder} PROPERTIES EXPORT_NAME ${folder})
  target_link_libraries(kernatlas_${folder} PUBLIC ${ARG_LINKS} PRIVATE ${ARG_PRIVATE_LINKS})
  kernatlas_configure(kernatlas_${folder})
endfunction()

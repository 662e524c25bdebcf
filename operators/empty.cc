// filled in by the first source of this library

#define FROM_H 7
byte h = FROM_H;
